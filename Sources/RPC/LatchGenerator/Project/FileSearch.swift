// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchProtoCompiler

/// A recursive search for files, in a deterministic order.
enum FileSearch {
    /// Returns the file itself, or a folder's files with a suffix, except hidden ones and those behind links to
    /// folders.
    static func find(_ path: String, suffix: String) throws(GeneratorError) -> [String] {
        guard isFolder(path) else { return path.hasSuffix(suffix) ? [path] : [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw .missingInput("The folder '\(path)' cannot be read.", hint: "Give a readable folder.")
        }
        var files: [String] = []
        for name in names where name.utf8.first != UInt8(ascii: ".") {
            // The compiler reads long lists of files line by line.
            guard !name.hasControls else {
                throw .missingInput(
                    "'\(path)/\(name)' has a control character in its name.", hint: "Rename or remove it.")
            }
            let inner = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            // A link to a folder may create a cycle.
            if !isFolder(inner) || !isLink(inner) { files += try find(inner, suffix: suffix) }
        }
        return files
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// Returns the size of a file in bytes; nil for a missing file.
    static func size(of path: String) -> UInt64? {
        do { return try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64 } catch { return nil }
    }

    private static func isLink(_ path: String) -> Bool {
        do {
            _ = try FileManager.default.destinationOfSymbolicLink(atPath: path)
            return true
        } catch {
            return false
        }
    }
}
