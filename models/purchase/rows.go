package purchase

import "debitdesk/models/database"

// Store is where purchases are kept, with what came of their money.
type Store struct{ *database.DB }
