package batch

import "debitdesk/models/database"

// Store is where batches are kept.
type Store struct{ *database.DB }
