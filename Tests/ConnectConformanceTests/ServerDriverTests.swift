// SPDX-License-Identifier: Apache-2.0

import ConnectConformance
import Expectations
import Foundation
import LatchHTTP
import LatchRPC
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServerDriverTests {
    @Test func `The conformance server reports its address and serves until it is terminated`() async throws {
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = DriverProcess.url("connect-conformance-server")
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        let request = ServerCompatRequest(protocol: .connect, httpVersion: .httpVersion1, messageReceiveLimit: 1000)
        try input.fileHandleForWriting.write(contentsOf: try DelimitedMessages.framed(request))
        // The runner says no more than that.
        try input.fileHandleForWriting.close()
        let place = try #require(
            try DelimitedMessages.next(ServerCompatResponse.self, from: output.fileHandleForReading))
        expectEqual(place.host, "127.0.0.1")
        #expect(place.pemCert.isEmpty)
        let service = ConformanceServiceStub(try RPCChannel("http://\(place.host):\(place.port)"))
        let answer = try await service.unary(UnaryRequest(requestData: Data([1, 2])))
        try expectEqual(
            answer.payload?.requestInfo?.requests.first?.unpack(UnaryRequest.self)?.requestData, Data([1, 2]))
        await #expect(throws: RPCError.resourceExhausted) {
            try await service.unary(UnaryRequest(requestData: Data(repeating: 0, count: 1001)))
        }
        #expect(process.isRunning)
    }

    @Test(arguments: [
        ServerCompatRequest(httpVersion: .httpVersion3),
        ServerCompatRequest(useTls: true, clientTlsCert: Data([1])),
    ])
    func `The conformance server does not start with an unsupported protocol`(request: ServerCompatRequest) async throws
    {
        await #expect(throws: (any Swift.Error).self) { _ = try await ConformanceServer.start(request) }
    }

    @Test func `The conformance server responds alternately in a full-duplex call`() async throws {
        let service = RPCService(ConformanceService().rpcMethods)
        let channel = try RPCChannel("http://localhost", through: service, using: .grpc)
        let definition = StreamResponseDefinition(responseData: [Data([1]), Data([2]), Data([3])])
        let requests = RPCStream([
            BidiStreamRequest(responseDefinition: definition, fullDuplex: true),
            BidiStreamRequest(requestData: Data([9])),
        ])
        var infos: [Int?] = []
        var data: [Data?] = []
        for try await answer in try await channel.bidirectional(ConformanceServiceMethods.bidiStream, requests) {
            infos.append(answer.payload?.requestInfo?.requests.count)
            data.append(answer.payload?.data)
        }
        // Each of the first two answers tells of its own request, and the third has none.
        expectEqual(infos, [1, 1, nil])
        expectEqual(data, [Data([1]), Data([2]), Data([3])])
    }
}
