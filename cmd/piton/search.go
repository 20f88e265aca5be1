package main

import "github.com/spf13/cobra"

func searchCommand(a *app) *cobra.Command { return &cobra.Command{Use: "search"} }
