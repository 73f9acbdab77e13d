// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
package import LatchProtoCompiler

/// The requested .proto files, and the folders that their imports are relative to.
package struct ProtoSources: Sendable {
    /// The import paths of the files, sorted.
    package let names: [String]
    /// The folders that import paths are relative to, in search order.
    package let roots: [String]
    /// The folders whose files diagnostics may quote.
    private let quoted: [ResolvedPath]

    /// Finds the files at paths, recursively in folders.
    ///
    /// The import path of a file in one of `includes` is relative to that folder, as with protoc. For any other file it
    /// is relative to the folder that matches its package, such as `protos` for `userservice.v1` in
    /// `protos/userservice/v1`. If no folder matches the package, it is relative to the given folder.
    ///
    /// - Parameter folders: The folders of the files that set `paths` and `includes`; nil if a user sets them. Files
    ///   outside such a folder are read but not quoted.
    package static func find(
        _ paths: [String], includes: [String], within folders: (paths: String?, includes: String?) = (nil, nil)
    ) throws(GeneratorError) -> ProtoSources {
        for path in paths + includes where path.hasControls {
            throw .missingInput("'\(path)' has a control character in its path.")
        }
        var (names, roots) = ([String: String](), includes.map(Self.normalized))
        var quoted = [folders.includes].compactMap(\.self).map(ResolvedPath.init)
        if quoted.isEmpty { quoted = roots.map(ResolvedPath.init) }
        if let folder = folders.paths { quoted.append(ResolvedPath(folder)) }
        for include in includes where !FileSearch.isFolder(include) {
            throw .missingInput("'\(include)' is not a folder.", hint: "Give the folder that imports are relative to.")
        }
        for path in paths {
            for file in try files(at: path) {
                let given = FileSearch.isFolder(path) ? normalized(path) : nil
                let root = root(of: file, given: given, includes: roots)
                if !roots.contains(root) {
                    roots.append(root)
                    if folders.paths == nil { quoted.append(quotable(root, given ?? AtomicFile(file).folder)) }
                }
                let name = String(decoding: file.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
                let other = names.updateValue(name, forKey: name)
                guard other.map({ $0.utf8.elementsEqual(name.utf8) }) ?? true else {
                    throw .impossibleOutput(
                        "Two .proto files have one name in different spellings of Unicode: '\(name)'.")
                }
            }
        }
        return ProtoSources(names: names.values.sorted(), roots: roots, quoted: quoted)
    }

    /// Returns the folder whose files may be quoted for a root that a package has named.
    ///
    /// This is the root if it is within the working directory. Otherwise it is the path that the user gave, because an
    /// untrusted package can name any folder above it.
    private static func quotable(_ root: String, _ given: String) -> ResolvedPath {
        let (whole, current) = (ResolvedPath(root), ResolvedPath("."))
        return whole.isInside(current) && !current.isRoot ? whole : ResolvedPath(given)
    }

    /// Returns the path of a file; nil if no folder contains it.
    package func path(of name: String) -> String? {
        roots.lazy.map { "\($0)/\(name)" }.first { FileStatus(of: $0).map { !$0.isFolder } ?? false }
    }

    /// Returns the content of a file; nil if it does not exist.
    ///
    /// - Throws: `FileError` for a file that cannot be read, or is larger than 64 MiB.
    private func bytes(of name: String) throws(FileError) -> [UInt8]? {
        guard let path = path(of: name) else { return nil }
        return try AtomicFile(path).readFile()
    }

    /// Compiles the files and their dependencies; diagnostics contain the paths of files.
    ///
    /// - Parameters:
    ///   - names: The requested files; all by default.
    ///   - builtIn: Returns files that no folder contains.
    package func compile(
        _ names: [String]? = nil, recordsLocations: Bool = false, builtIn: @escaping Compiler.Read = { _ in nil }
    ) -> (compilation: Compilation, diagnostics: [Diagnostic]) {
        var unreadable: [Diagnostic] = []
        let compiler = Compiler(recordsLocations: recordsLocations) { name in
            do throws(FileError) { return try bytes(of: name) ?? builtIn(name) } catch {
                unreadable.append(
                    Diagnostic(
                        file: name, position: nil,
                        message: "the file cannot be read, or has more than 64 MiB: \(error)".withoutControls))
                return nil
            }
        }
        let compilation = compiler.compile(names ?? self.names)
        let names = Set(unreadable.map(\.file))
        // The file exists, although the compiler reports it as missing.
        let others = compilation.diagnostics.filter { $0.position != nil || !names.contains($0.file) }
        return (compilation, (unreadable + others).map(located))
    }

    /// Returns a diagnostic with the path of its file instead of the import path.
    ///
    /// Diagnostics may be public. So they do not quote text behind a link that leads out of the search paths. They also
    /// do not quote text in a folder that only an untrusted repository names.
    package func located(_ diagnostic: Diagnostic) -> Diagnostic {
        guard let path = path(of: diagnostic.file) else { return diagnostic }
        var located = diagnostic
        let place = ResolvedPath(path)
        if !quoted.contains(where: place.isInside) {
            located = Diagnostic(
                diagnostic.severity, file: path, position: diagnostic.position,
                message: "the file does not compile here; it is outside of the search paths, or a link to such a place",
                hint: "Add the folder of the text with -I to see it.")
        }
        located.file = path
        return located
    }
}

extension ProtoSources {
    private static func root(of file: String, given: String?, includes: [String]) -> String {
        // The longest match counts, because one include may contain another.
        let including = includes.filter { file.utf8.starts(with: ($0 + "/").utf8) }.max {
            $0.utf8.count < $1.utf8.count
        }
        if let including { return including }
        let folder = AtomicFile(file).folder
        // An unreadable file is reported when it is compiled.
        let package = (try? AtomicFile(file).readFile()).flatMap { PackageStatement.find(in: $0) }
        if let package, !package.isEmpty {
            let suffix = "/" + package.split(separator: ".").joined(separator: "/")
            if folder.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) {
                return String(decoding: folder.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
            }
        }
        return given ?? folder
    }

    /// Returns the file itself, or the .proto files in a folder.
    private static func files(at path: String) throws(GeneratorError) -> [String] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .missingInput("The proto path '\(path)' does not exist.")
        }
        let path = normalized(path)
        let files = try FileSearch.find(path, suffix: ".proto")
        guard !files.isEmpty else {
            throw .missingInput(
                FileSearch.isFolder(path) ? "There is no .proto file in '\(path)'." : "'\(path)' is not a .proto file.")
        }
        return files
    }

    /// Returns a path without `.`, double slashes and a trailing slash, so that prefixes of paths can be compared.
    static func normalized(_ path: String) -> String {
        let parts = path.pathParts.filter { $0 != "." }.joined(separator: "/")
        if path.utf8.first == UInt8(ascii: "/") { return "/" + parts }
        return parts.isEmpty || parts.utf8.starts(with: "../".utf8) || parts == ".."
            ? (parts.isEmpty ? "." : parts) : "./" + parts
    }
}

/// A scanner for the package of a .proto file, whose import path must be known before it is compiled.
enum PackageStatement {
    /// Returns the package; nil if the file declares none.
    static func find(in bytes: [UInt8]) -> String? {
        var (rest, statement) = (bytes[...], [UInt8]())
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "/") where rest.first == UInt8(ascii: "/"):
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where rest.first == UInt8(ascii: "*"):
                rest = skipComment(rest.dropFirst())
            case UInt8(ascii: ";"), UInt8(ascii: "{"), UInt8(ascii: "}"):
                let words = String(decoding: statement, as: UTF8.self).split { $0 == " " || $0.isNewline || $0 == "\t" }
                if byte == UInt8(ascii: ";"), words.first == "package" { return words.dropFirst().joined() }
                statement = []
            default: statement.append(byte)
            }
        }
        return nil
    }

    /// Returns the bytes after the end of a comment.
    private static func skipComment(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") { return rest.dropFirst() }
        }
        return rest
    }
}
