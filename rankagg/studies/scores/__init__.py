"""Where studies have scores from, and how scores go missing."""
