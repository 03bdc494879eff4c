"""Where the pure rooms meet the edges."""
