"""Pictures of clusters, mixtures and the graphs between rows."""
