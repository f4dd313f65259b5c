"""A long life of one session: many turns in which everything goes wrong that can."""
