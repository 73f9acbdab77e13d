// SPDX-License-Identifier: Apache-2.0

/// A revision of the Model Context Protocol (modelcontextprotocol.io/specification), named by its date.
enum ProtocolRevision: String, Sendable, CaseIterable, Comparable {
    case november2024 = "2024-11-05"
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    /// The first one without a handshake: each request says which revision it follows.
    case july2026 = "2026-07-28"

    /// What a client gets that opens with a handshake and names a revision that is not known.
    static let newestWithHandshake = november2025

    /// Whether a connection begins with `initialize`.
    var hasHandshake: Bool { self < .july2026 }

    /// Whether several messages may come in one array (2025-03-26, "Batching"; JSON-RPC 2.0 §6, until 2025-06-18 took it
    /// out).
    var hasBatches: Bool { self <= .march2025 }

    /// Whether arguments that do not fit are told as the result of the tool, for the model to mend (2025-11-25, "Error
    /// Handling"), and not as an error of the protocol.
    var tellsBadArgumentsAsResult: Bool { self >= .november2025 }

    static func < (one: ProtocolRevision, other: ProtocolRevision) -> Bool { one.rawValue < other.rawValue }
}
