"""How far rankings move when scores go missing."""
