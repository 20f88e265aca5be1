module github.com/piton-project/piton/temporal

go 1.26.8

require github.com/piton-project/piton v0.0.0

replace github.com/piton-project/piton => ../
