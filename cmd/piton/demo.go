package main

import "github.com/spf13/cobra"

func demoCommand(a *app) *cobra.Command { return &cobra.Command{Use: "demo"} }
