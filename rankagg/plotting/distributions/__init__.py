"""Pictures of fitted distributions."""
