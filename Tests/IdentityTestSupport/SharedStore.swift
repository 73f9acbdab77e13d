// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchIdentity
import TestSupport

/// A database that the nodes of a test share.
package enum SharedStore: String, Sendable {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    /// PostgreSQL runs where `make interop` has installed it.
    package static let all: [SharedStore] =
        [.sqlite] + (ProcessInfo.processInfo.environment["LATCH_INTEROP"] == nil ? [] : [.postgres])

    /// Returns the location of an empty one; nil for the file in the folder of the first node.
    package func location() async throws -> String? {
        self == .sqlite ? nil : try await IdentityDatabase.create()
    }
}
