"""What commands share: options, the values they give, and what is printed and written."""
