// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// The files of one kind below a folder, in an order that is the same on every machine.
enum FilesBelow {
    /// The file itself, or those below a folder whose names end so, but in no hidden folder and behind no link.
    static func find(_ path: String, suffix: String) throws(GeneratorError) -> [String] {
        guard isFolder(path) else { return path.hasSuffix(suffix) ? [path] : [] }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw .missingInput("The folder '\(path)' cannot be read.", hint: "Give a folder that this user may read.")
        }
        var files: [String] = []
        for name in names where !name.hasPrefix(".") {
            let inner = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
            // A link to a folder may lead back to where we came from.
            if !isFolder(inner) || !isLink(inner) { files += try find(inner, suffix: suffix) }
        }
        return files
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
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
