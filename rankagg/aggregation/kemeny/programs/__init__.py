"""Integer programs in PuLP, through its public interface only."""
