package words

const Developers = "developers"

const Purchases = "purchases"

const SettingsRoom = "settings"

const TokensRoom = "tokens"
