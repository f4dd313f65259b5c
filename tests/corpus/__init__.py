"""Material that many tests look at."""
