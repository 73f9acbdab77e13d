// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// What the client of a service knows: a value, which changes by actions alone.
///
/// Two states that are equal are one for those who follow them; what is not to be compared is left out of `==`.
public protocol ServiceState: Hashable, Sendable {
    /// How a failed action is told.
    associatedtype Failure: ActionFailure

    /// Whether an action is under way that shows it; set by the client.
    var isLoading: Bool { get set }
    /// Why the last action failed; nil after one that did not.
    var error: Failure? { get set }
    /// When the content changed last; nil for a state that nothing has changed.
    var lastUpdated: Date? { get set }
    /// Whether the content is an answer of before, since the network is out of reach.
    var isStale: Bool { get set }
}

/// Why an action failed, in the words of a client.
public protocol ActionFailure: Error, Hashable, Sendable {
    /// The failure that the core's error is told as.
    init(_ error: ActionError)

    /// Whether the same action may succeed a moment later.
    var isRetryable: Bool { get }
}
