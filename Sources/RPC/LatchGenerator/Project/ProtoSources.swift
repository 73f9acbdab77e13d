// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchProtoCompiler
import PortableFoundation

/// The requested .proto files, and the folders that their imports are relative to.
package struct ProtoSources: Sendable {
    /// The import paths of the files, sorted.
    package let names: [String]
    /// The folders that import paths are relative to, in search order.
    package let roots: [String]

    /// Finds the files at paths, recursively in folders.
    ///
    /// The import path of a file in one of `includes` is relative to that, as with protoc. For any other file it is relative
    /// to the folder that matches its package (`protos` for `userservice.v1` in `protos/userservice/v1`), or to the given
    /// folder where the package does not match.
    package static func find(_ paths: [String], includes: [String]) throws(GeneratorError) -> ProtoSources {
        var (names, roots) = ([String: String](), includes.map(Self.normalized))
        for include in includes where !FileSearch.isFolder(include) {
            throw .missingInput("'\(include)' is not a folder.", hint: "Give the folder that imports are relative to.")
        }
        for path in paths {
            for file in try files(at: path) {
                let root = root(of: file, given: FileSearch.isFolder(path) ? normalized(path) : nil, includes: roots)
                if !roots.contains(root) { roots.append(root) }
                let name = String(decoding: file.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
                let other = names.updateValue(name, forKey: name)
                guard other.map({ $0.utf8.elementsEqual(name.utf8) }) ?? true else {
                    throw .impossibleOutput(
                        "Two .proto files have one name in different spellings of Unicode: '\(name)'.")
                }
            }
        }
        return ProtoSources(names: names.values.sorted(), roots: roots)
    }

    /// Returns the path of a file; nil where no folder contains it.
    package func path(of name: String) -> String? {
        roots.lazy.map { "\($0)/\(name)" }.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Returns the content of a file; nil where there is none.
    package func bytes(of name: String) -> [UInt8]? {
        for root in roots {
            if let data = FileManager.default.contents(atPath: "\(root)/\(name)") { return Array(data) }
        }
        return nil
    }

    /// Compiles the files and their dependencies; diagnostics contain the paths of files.
    ///
    /// - Parameters:
    ///   - names: The requested files; all by default.
    ///   - builtIn: Returns files that no folder contains.
    package func compile(
        _ names: [String]? = nil, recordsLocations: Bool = false, builtIn: @escaping Compiler.Read = { _ in nil }
    ) -> (compilation: Compilation, diagnostics: [Diagnostic]) {
        let compiler = Compiler(recordsLocations: recordsLocations) { bytes(of: $0) ?? builtIn($0) }
        let compilation = compiler.compile(names ?? self.names)
        return (compilation, compilation.diagnostics.map(located))
    }

    /// Returns a diagnostic with the path of its file in place of the import path.
    ///
    /// The text behind a link that leads out of the search paths is not quoted: diagnostics of a foreign repository may be public.
    package func located(_ diagnostic: Diagnostic) -> Diagnostic {
        guard let path = path(of: diagnostic.file) else { return diagnostic }
        var located = diagnostic
        if leadsOutside(path) {
            located = Diagnostic(
                diagnostic.severity, file: path, position: diagnostic.position,
                message: "the file does not compile here; it is a link to a place outside of the search paths",
                hint: "Add the folder that the link leads to with -I to see the text.")
        }
        located.file = path
        return located
    }

    /// Whether a file is, or is behind, a link that leads out of all search paths.
    private func leadsOutside(_ path: String) -> Bool {
        func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        let target = real(path)
        return !roots.contains { root in
            let folder = real(root)
            return folder == "/" || target.utf8.starts(with: "\(folder)/".utf8)
        }
    }
}

extension ProtoSources {
    private static func root(of file: String, given: String?, includes: [String]) -> String {
        // The longest one, since one include may contain another.
        let including = includes.filter { file.utf8.starts(with: ($0 + "/").utf8) }.max {
            $0.utf8.count < $1.utf8.count
        }
        if let including { return including }
        let folder = AtomicFile(file).folder
        let package = FileManager.default.contents(atPath: file).flatMap { PackageStatement.find(in: Array($0)) }
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
    /// Returns the package; nil where there is no package statement.
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
