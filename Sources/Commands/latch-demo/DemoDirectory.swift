// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// The temporary folder of a demonstration.
struct DemoDirectory: Sendable {
    private let root: String

    /// Creates the folder, readable only by its owner.
    init() throws {
        root = FileManager.default.temporaryDirectory.path + "/latch-demo-" + RandomSource.system.identifier()
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Returns the path of a file in the folder.
    func path(_ name: String) -> String { "\(root)/\(name)" }

    /// Returns the text of a file in the folder; empty if the file does not exist.
    func text(_ name: String) -> String {
        guard let bytes = FileManager.default.contents(atPath: path(name)) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a file in the folder.
    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: URL(filePath: path(name))) }

    /// Removes the folder and its contents.
    ///
    /// The server may still be writing its last files; the next round removes them.
    func remove() throws {
        while FileManager.default.fileExists(atPath: root) {
            do {
                try FileManager.default.removeItem(atPath: root)
            } catch let error as CocoaError where error.code == .fileNoSuchFile {
                continue  // A concurrent removal has removed one of the files.
            }
        }
    }
}
