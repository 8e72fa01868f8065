"""What `rankagg teach` does with lectures and apps: list, serve, export, copy; none is imported."""
