// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A folder of one test, removed with it.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init(in parent: String = FileManager.default.temporaryDirectory.path) throws {
        path = "\(parent)/latch-identity-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String = "store.sqlite") -> String { "\(path)/\(name)" }

    package func bytes(of name: String = "store.sqlite") throws -> Data {
        try Data(contentsOf: URL(filePath: file(name)))
    }

    package func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    package func permissions(of name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes[.posixPermissions] as? Int) ?? -1
    }

    package func setPermissions(_ permissions: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
}
