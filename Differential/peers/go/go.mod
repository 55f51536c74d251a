module judge

go 1.19
