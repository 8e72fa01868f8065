"""The exact consensus among weak orders: rankings that may tie items, at a price for each tie."""
