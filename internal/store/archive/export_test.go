package archive

// SplitFrom makes Write send files of more than n bytes in parts.
func (s *S3) SplitFrom(n int64) { s.single = n }
