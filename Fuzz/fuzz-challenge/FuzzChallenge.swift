// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchHTTP

/// Reads bytes as a line of challenges: what is accepted has one name for each parameter, and reads back from its parts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChallenge(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let challenges = Challenge.parse(String(decoding: bytes(data, count), as: UTF8.self)) else { return 0 }
    let line = challenges.map { challenge in
        hold(challenge.token68 == nil || challenge.parameters.isEmpty, "there is one value or there are parameters")
        let names = Set(challenge.parameters.map { $0.name.lowercased() })
        hold(names.count == challenge.parameters.count, "no name stands twice")
        let parameters = challenge.parameters.map { parameter in
            let quoted = parameter.value.utf8.flatMap { $0 == 0x22 || $0 == 0x5C ? [0x5C, $0] : [$0] }
            return "\(parameter.name)=\"\(String(decoding: quoted, as: UTF8.self))\""
        }
        return challenge.scheme + " " + (challenge.token68 ?? parameters.joined(separator: ", "))
    }
    hold(Challenge.parse(line.joined(separator: ", ")) == challenges, "the challenges read back from \(line)")
    return 0
}
