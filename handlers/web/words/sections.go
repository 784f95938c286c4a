package words

// The entries of the menu, as the frame of a page knows them.
const (
	Developers      = "developers"
	Purchases       = "purchases"
	SettingsSection = "settings"
	TokensSection   = "tokens"
)
