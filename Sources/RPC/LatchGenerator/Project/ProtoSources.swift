// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
package import LatchProto

/// The .proto files that somebody asks for, and the folders in which their imports are found.
package struct ProtoSources: Sendable {
    /// The names by which the files are imported, sorted.
    package let names: [String]
    /// The folders that names begin at, in the order in which they are tried.
    package let roots: [String]

    /// Finds the files at paths, each a file or a folder that is searched to its leaves.
    ///
    /// A file below one of `includes` is named from there, as protoc names it. Any other one is named from the folder
    /// that its package leads to (`userservice.v1` in `protos/userservice/v1` from `protos`), and where that leads
    /// nowhere, from the folder that was given.
    package static func find(_ paths: [String], includes: [String]) throws(GeneratorError) -> ProtoSources {
        var (names, roots) = (Set<String>(), includes.map(Self.normalized))
        for include in includes where !FilesBelow.isFolder(include) {
            throw .missingInput("'\(include)' is no folder.", hint: "Give the folder that imports begin at.")
        }
        for path in paths {
            for file in try files(at: path) {
                let root = root(of: file, given: FilesBelow.isFolder(path) ? normalized(path) : nil, includes: roots)
                if !roots.contains(root) { roots.append(root) }
                names.insert(String(file.dropFirst(root.count + 1)))
            }
        }
        return ProtoSources(names: names.sorted(), roots: roots)
    }

    /// Where a file of that name is; nil where it is in none of the folders.
    package func path(of name: String) -> String? {
        roots.lazy.map { "\($0)/\(name)" }.first { FileManager.default.fileExists(atPath: $0) }
    }

    /// What a file of that name holds; nil where there is none.
    package func bytes(of name: String) -> [UInt8]? {
        for root in roots {
            if let data = FileManager.default.contents(atPath: "\(root)/\(name)") { return Array(data) }
        }
        return nil
    }

    /// Compiles the files with all that they import; diagnostics name files by their paths.
    ///
    /// - Parameters:
    ///   - names: Those that are asked for; all by default.
    ///   - builtIn: Gives what is found in none of the folders.
    package func compile(
        _ names: [String]? = nil, recordsLocations: Bool = false, builtIn: @escaping Compiler.Read = { _ in nil }
    ) -> (compilation: Compilation, diagnostics: [Diagnostic]) {
        let compiler = Compiler(recordsLocations: recordsLocations) { bytes(of: $0) ?? builtIn($0) }
        let compilation = compiler.compile(names ?? self.names)
        return (compilation, compilation.diagnostics.map(located))
    }

    /// The same diagnostic with the path of its file in place of its name.
    package func located(_ diagnostic: Diagnostic) -> Diagnostic {
        var located = diagnostic
        located.file = path(of: diagnostic.file) ?? diagnostic.file
        return located
    }
}

extension ProtoSources {
    private static func root(of file: String, given: String?, includes: [String]) -> String {
        // The longest one, for one include may lie in another.
        let including = includes.filter { file.hasPrefix($0 + "/") }.max { $0.utf8.count < $1.utf8.count }
        if let including { return including }
        let folder = AtomicFile(file).folder
        let package = FileManager.default.contents(atPath: file).flatMap { PackageStatement.find(in: Array($0)) }
        if let package, !package.isEmpty {
            let suffix = "/" + package.split(separator: ".").joined(separator: "/")
            if folder.hasSuffix(suffix) { return String(folder.dropLast(suffix.count)) }
        }
        return given ?? folder
    }

    /// The file itself, or those below a folder whose names end in `.proto`, but in no hidden folder.
    private static func files(at path: String) throws(GeneratorError) -> [String] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .missingInput("The proto path '\(path)' does not exist.")
        }
        let path = normalized(path)
        let files = try FilesBelow.find(path, suffix: ".proto")
        guard !files.isEmpty else {
            throw .missingInput(
                FilesBelow.isFolder(path) ? "There is no .proto file in '\(path)'." : "'\(path)' is no .proto file.")
        }
        return files
    }

    /// A path without `.`, doubled slashes and a slash at its end, so that one can be looked for at the front of another.
    static func normalized(_ path: String) -> String {
        let parts = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        if path.hasPrefix("/") { return "/" + parts }
        return parts.isEmpty || parts.hasPrefix("../") || parts == ".." ? (parts.isEmpty ? "." : parts) : "./" + parts
    }
}

/// Finds the package of a .proto file without compiling it: the compiler must know a file's name before it reads it.
enum PackageStatement {
    /// The package; nil where no statement names one.
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

    /// What stands behind the end of a comment.
    private static func skipComment(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") { return rest.dropFirst() }
        }
        return rest
    }
}
