# Stands in for Homebrew, which is not to be had everywhere: the words of a formula that
# piton.rb uses, as Homebrew's documentation has them. It unpacks the archive that the
# formula names for a system, runs its install in it, and links what it has put into the
# cellar: ruby formula.rb FORMULA FOLDER ROOT PREFIX OS CPU. Its test runs where ROOT has a shell.
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

formula, FOLDER, ROOT, PREFIX, OS, CPU = ARGV

# Place is a folder that files are put into.
class Place < Pathname
  def install(*what)
    what.flatten.each do |one|
      (one.is_a?(Hash) ? one : { one => File.basename(one) }).each do |from, to|
        mkpath
        FileUtils.mv(from, self + to) # it fails where the archive has no such file
      end
    end
  end
end

class Formula
  class << self
    attr_reader :made, :values

    def inherited(formula)
      super
      @made = formula
      formula.instance_variable_set(:@values, {})
    end

    %i[desc homepage version license url sha256].each do |word|
      define_method(word) { |value = nil| value ? @values[word] = value : @values.fetch(word) }
    end
    { on_linux: "linux", on_macos: "macos", on_intel: "intel", on_arm: "arm" }.each do |word, name|
      define_method(word) { |&block| block.call if [OS, CPU].include?(name) }
    end

    def test(&block) = define_method(:test, &block)
  end

  def keg = Pathname.new("#{ROOT}#{PREFIX}/Cellar/piton/#{self.class.version}")
  def bin = Place.new(keg + "bin")
  def man1 = Place.new(keg + "share/man/man1")
  def bash_completion = Place.new(keg + "etc/bash_completion.d")
  def zsh_completion = Place.new(keg + "share/zsh/site-functions")
  def fish_completion = Place.new(keg + "share/fish/vendor_completions.d")

  def shell_output(command)
    inside = command.sub(ROOT, "")
    out = IO.popen(["chroot", ROOT, "/bin/sh", "-c", inside], &:read)
    raise "#{inside}: #{$?}" unless $?.success?

    out
  end

  def assert_match(want, got)
    raise "got #{got}, want #{want} in it" unless got.include?(want)
  end

  # link makes the links that people's PATH and shells have, as 'brew link' does.
  def link
    keg.glob("**/*").select(&:file?).each do |file|
      to = Pathname.new("#{ROOT}#{PREFIX}") + file.relative_path_from(keg)
      to.dirname.mkpath
      to.make_symlink(file.relative_path_from(to.dirname))
    end
  end
end

load formula
made = Formula.made
archive = File.join(FOLDER, File.basename(made.url))
raise "#{archive} has another sum than the formula" unless Digest::SHA256.file(archive).hexdigest == made.sha256

Dir.mktmpdir do |stage|
  system("tar", "-C", stage, "--strip-components=1", "-xJf", archive) or raise "the archive cannot be unpacked"
  piton = made.new
  Dir.chdir(stage) { piton.install }
  piton.link
  piton.test if File.symlink?("#{ROOT}/bin/sh")
end
