// SPDX-License-Identifier: Apache-2.0

/// What is generated, and how.
public struct GenerationOptions: Sendable, Hashable {
    /// How Swift is written, and which services are wanted.
    public var swift = SwiftOptions()
    /// What names of clients end with where no option of the service says it; nil for `Client`.
    public var clientSuffix: String?
    /// Whether messages, enums and services are generated.
    public var makesContracts = true
    /// Whether clients with actions and state are generated.
    public var makesClients = true
    /// Whether tests of the clients are generated.
    public var makesTests = true
    /// Whether guides to the clients are generated.
    public var makesGuides = true

    /// Everything, public, in the layout of a project.
    public init() {}
}
