// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchTesting

@testable import LatchIdentity

private let fixture = waiting { try await ServerFixture() }

/// Sends the requests of a script to the whole server over its sockets: bounds of memory and time hold, nothing of others is
/// disclosed or changed, and nothing fails.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzServer(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let steps = Step.steps(of: bytes(data, count))
    let (clock, mailer) = (ManualClock(ServerFixture.beginning), MemoryMailer())
    let identity = waiting { try await fixture.begin(clock, mailer) }
    let attacker = Attacker(fixture, identity, clock, mailer)
    for step in steps { attacker.perform(step) }
    attacker.finish()
    waiting { await fixture.end(identity) }
    return 0
}
