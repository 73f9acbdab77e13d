// SPDX-License-Identifier: Apache-2.0

/// A revision of the Model Context Protocol (modelcontextprotocol.io/specification), named by its date.
enum ProtocolRevision: String, Sendable, CaseIterable, Comparable {
    case november2024 = "2024-11-05"
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    /// The first revision without a handshake: each request names its revision.
    case july2026 = "2026-07-28"

    /// The revision for clients that begin with a handshake and name an unknown revision.
    static let newestWithHandshake = november2025

    /// Whether a connection begins with `initialize`.
    var hasHandshake: Bool { self < .july2026 }

    /// Whether an array can contain several messages (2025-03-26, "Batching"; JSON-RPC 2.0 §6); 2025-06-18 removed
    /// this.
    var hasBatches: Bool { self <= .march2025 }

    /// Whether an argument error is a result of the tool instead of a protocol error (2025-11-25, "Error Handling").
    ///
    /// The model can correct a result.
    var reportsArgumentErrorsAsResults: Bool { self >= .november2025 }

    static func < (one: ProtocolRevision, other: ProtocolRevision) -> Bool { one.rawValue < other.rawValue }
}
