// SPDX-License-Identifier: Apache-2.0

public import LatchRPC

extension Message {
    /// A message that is filled by a closure: the runner's messages have too many fields for a memberwise initialiser.
    public init(_ fill: (inout Self) -> Void) {
        self.init()
        fill(&self)
    }
}
