// SPDX-License-Identifier: Apache-2.0

/// A signature that was verified, and what it stands for.
public struct VerifiedSignature: Sendable, Hashable {
    /// The name that the message gives it.
    public let label: String
    /// What it covers; nothing else of the message is proven.
    public let components: [SignatureComponent]
    /// What it says about itself.
    public let parameters: SignatureParameters
}
