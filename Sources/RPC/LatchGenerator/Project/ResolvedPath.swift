// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchProtoCompiler

/// An absolute path without `..`; links are resolved in its existing folders.
struct ResolvedPath {
    private let parts: [String]

    init(_ path: String) {
        let whole = path.utf8.first == UInt8(ascii: "/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        var parts: [String] = []
        for part in whole.pathParts {
            switch part {
            case ".": break
            // Links before it are already resolved, so the result matches the system's.
            case "..": _ = parts.popLast()
            default:
                parts.append(part)
                let place = "/" + parts.joined(separator: "/")
                guard FileStatus(of: place, followsLink: false)?.isLink == true else { break }
                let target = URL(fileURLWithPath: place).resolvingSymlinksInPath().path
                if target != place { parts = target.pathParts }
            }
        }
        self.parts = parts
    }

    /// Whether the path is the root folder.
    var isRoot: Bool { parts.isEmpty }

    /// Whether the path is a folder or is inside it.
    func isInside(_ folder: ResolvedPath) -> Bool {
        parts.count >= folder.parts.count && zip(parts, folder.parts).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}
