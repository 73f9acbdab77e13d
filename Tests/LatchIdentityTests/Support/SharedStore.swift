// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import LatchIdentity

/// A database that the nodes of a test share.
enum SharedStore: String, Sendable {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    /// PostgreSQL runs where `make interop` has installed it.
    static let all: [SharedStore] =
        [.sqlite] + (ProcessInfo.processInfo.environment["LATCH_INTEROP"] == nil ? [] : [.postgres])

    /// Returns the location of an empty one; nil for the file in the folder of the first node.
    func location() async throws -> String? {
        self == .sqlite ? nil : try await IdentityDatabase.create()
    }
}
