// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Glibc
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// Takes all descriptors of this process but one, lets a client connect with that one, and gives them back.
func exhaustion() async throws {
    let request = DescriptorExhaustionTests.request
    let reports = Atomic(0)
    var configuration = Server.Configuration()
    configuration.onExhaustion = { reports.add(1, ordering: .relaxed) }
    let server = Server(handler: ClosureHandler { _ in HTTPResponse(status: .ok) }, configuration: configuration)
    let address = try await server.start()
    let early = try RawClient(port: address.port)
    await early.send(request)
    try #require(await early.receiveResponse()?.status == .ok)
    var limit = rlimit(rlim_cur: 256, rlim_max: 256)
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    var taken: [Int32] = []
    while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
    if let last = taken.popLast() { close(last) }
    let late = try RawClient(port: address.port)
    await late.send(request)
    for _ in 0..<10 {
        await early.send(request)
        try #require(await early.receiveResponse()?.status == .ok)
    }
    try #require(server.connectionCount == 1)
    // Each attempt counts; the first one is reported.
    try #require(server.connectionStatistics.exhaustions > 0)
    try #require(reports.load(ordering: .relaxed) == 1)
    for descriptor in taken { close(descriptor) }
    try #require(await late.receiveResponse()?.status == .ok)
    await server.shutdown(grace: .zero)
}

#endif
