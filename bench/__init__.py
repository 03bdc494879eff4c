"""Measurements of Tank on this machine: one module a thing measured, each with its method, a floor and an aim."""
