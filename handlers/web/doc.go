// Package web holds the dashboard for people, one package an area: each reads forms, calls use cases and puts
// their results into words for the views. kit is what they share, words is how they say it. None of them knows rules.
package web
