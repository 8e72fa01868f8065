"""The commands: each file holds those of one purpose, which `rankagg.cli.app` lists."""
