// SPDX-License-Identifier: Apache-2.0

/// One request that has ended, as metrics count it.
public struct RequestSample: Sendable, Hashable {
    /// What is counted together.
    public struct Kind: Sendable, Hashable {
        /// The method; `OTHER` for what is not in common use, so that nobody can make series without end.
        public let method: String
        /// The request's `template`; empty where it has none.
        public let template: String
        /// `2xx` and so on, or the code of an error.
        public let outcome: String

        /// A kind from its parts.
        public init(method: String, template: String, outcome: String) {
            self.method = method
            self.template = template
            self.outcome = outcome
        }
    }

    /// What it is counted with.
    public let kind: Kind
    /// From the request to its answer.
    public let duration: Duration
    /// How many bytes of content were sent; 0 where that is not known.
    public let sentBytes: Int
    /// How many bytes of content came; 0 where that is not known.
    public let receivedBytes: Int

    /// A sample from its parts.
    public init(kind: Kind, duration: Duration, sentBytes: Int = 0, receivedBytes: Int = 0) {
        self.kind = kind
        self.duration = duration
        self.sentBytes = sentBytes
        self.receivedBytes = receivedBytes
    }
}
