// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

@testable import LatchGenerator

/// A temporary folder with files in it.
struct ProjectFolder: Sendable {
    let path: String

    /// Runs `body` in a new folder, and removes it afterwards, whatever happened.
    static func with(_ files: [String: String] = [:], _ body: (ProjectFolder) throws -> Void) throws {
        let folder = ProjectFolder(path: "\(FileManager.default.temporaryDirectory.path)/project-\(UUID().uuidString)")
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(atPath: folder.path) } catch {}
        }
        for (name, text) in files { try folder.write(text, to: name) }
        try body(folder)
    }

    func write(_ text: String, to name: String) throws {
        let url = URL(filePath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            atPath: url.deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    /// The names of all files, hidden ones included.
    func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
            var isFolder = false
            return FileManager.default.fileExists(atPath: "\(path)/\(name)", isDirectory: &isFolder) && !isFolder
        }.sorted()
    }

    /// The names of all files and folders.
    func everything() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: path).sorted() }

    /// All files with what they hold.
    func content() throws -> [String: String] {
        Dictionary(try names().map { ($0, text($0) ?? "") }) { first, _ in first }
    }
}
