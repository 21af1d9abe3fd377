"""Generators' plans: asking for them, reading them, making faulty ones, scoring them."""
