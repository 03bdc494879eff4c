"""What a model is given: tools and their results. Pure."""
