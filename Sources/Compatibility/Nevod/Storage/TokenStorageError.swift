// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Why a token could not be stored or read.
public enum TokenStorageError: Error, CustomStringConvertible {
    /// What is stored is no token of this type; it was set aside, and the storage goes on without one.
    case failedToDecode(any Error)
    /// The token has no spelling as bytes; what was stored before is unchanged.
    case failedToEncode(any Error)
    /// The storage itself cannot be used now; what it holds is still there.
    case failedToAccess(any Error)

    /// What happened, without what is stored.
    public var description: String {
        switch self {
        case .failedToDecode: "The stored token could not be read and was set aside."
        case .failedToEncode: "The token could not be written down."
        case .failedToAccess(let error as any CodedError): "The token's storage cannot be used: \(error.message)"
        case .failedToAccess: "The token's storage cannot be used."
        }
    }
}
