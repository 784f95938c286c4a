package main

import (
	_ "github.com/a-h/templ"
	_ "github.com/alecthomas/kong"
	_ "github.com/alexedwards/argon2id"
	_ "github.com/caarlos0/env/v11"
	_ "github.com/chromedp/chromedp"
	_ "github.com/golang-jwt/jwt/v5"
	_ "github.com/google/uuid"
	_ "github.com/gorilla/sessions"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/labstack/echo/v4"
	_ "github.com/pressly/goose/v3"
	_ "github.com/prometheus/client_golang/prometheus/promhttp"
	_ "github.com/rickar/cal/v2/za"
	_ "github.com/riverqueue/river"
	_ "github.com/riverqueue/river/riverdriver/riverpgxv5"
	_ "github.com/riverqueue/river/rivermigrate"
	_ "github.com/shopspring/decimal"
	_ "github.com/skip2/go-qrcode"
	_ "github.com/wneessen/go-mail"
	_ "golang.org/x/crypto/hkdf"
	_ "golang.org/x/text/language"
	_ "golang.org/x/time/rate"
	_ "gorm.io/driver/postgres"
	_ "gorm.io/gorm"
	_ "pgregory.net/rapid"
)

func main() {}
