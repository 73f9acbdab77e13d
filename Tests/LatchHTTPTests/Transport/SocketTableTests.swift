// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import Testing

@testable import LatchHTTP

/// The constants of libcurl's socket callback.
private enum Want {
    static let `in`: CInt = 1
    static let out: CInt = 2
    static let both: CInt = 3
    static let nothing: CInt = 4
}

/// The constants of epoll events.
private enum Event {
    static let readable: UInt32 = 1
    static let writable: UInt32 = 4
    static let failed: UInt32 = 8
    static let hungUp: UInt32 = 16
}

/// Whether epoll has something to report now: its own descriptor is then readable.
private func hasEvents(_ epoll: CInt) -> Bool {
    var wanted = pollfd(fd: epoll, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, 0) == 1
}

/// Two connected sockets, and a loop's descriptors beside them.
private final class Sockets {
    let ours: CInt
    let peer: CInt
    let wakeUps: WakeUpEvents

    init() throws {
        var pair: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        (ours, peer) = (pair[0], pair[1])
        wakeUps = try WakeUpEvents()
    }

    deinit {
        close(ours)
        close(peer)
        wakeUps.close()
    }

    var table: SocketTable { SocketTable(epoll: wakeUps.epoll) }

    var areReported: Bool { hasEvents(wakeUps.epoll) }

    func say(_ text: String) { _ = send(peer, text, text.utf8.count, 0) }
}

@Suite struct SocketTableTests {
    @Test func `A table of sockets follows libcurl's wishes, however often they change`() throws {
        let sockets = try Sockets()
        var table = sockets.table
        table.opened(sockets.ours)
        table.want(Want.in, of: sockets.ours)
        #expect(!sockets.areReported)
        table.want(Want.out, of: sockets.ours)
        #expect(sockets.areReported)
        table.want(Want.in, of: sockets.ours)
        #expect(!sockets.areReported)
        sockets.say("x")
        #expect(sockets.areReported)
        table.want(Want.both, of: sockets.ours)
        #expect(sockets.areReported)
    }

    @Test(
        arguments: [
            (Event.readable, 1), (Event.writable, 2), (Event.readable | Event.writable, 3), (Event.failed, 4),
            (Event.hungUp, 4), (Event.readable | Event.hungUp, 5),
        ] as [(UInt32, CInt)])
    func `A table of sockets reports events in libcurl's terms`(events: UInt32, meaning: CInt) throws {
        let sockets = try Sockets()
        var table = sockets.table
        table.want(Want.both, of: sockets.ours)
        expectEqual(table.meaning(of: events, on: sockets.ours), meaning)
    }

    @Test func `A table of sockets postpones unwatching its own sockets until an unexpected event`() throws {
        let sockets = try Sockets()
        var table = sockets.table
        table.opened(sockets.ours)
        table.want(Want.in, of: sockets.ours)
        table.want(Want.nothing, of: sockets.ours)
        sockets.say("x")
        #expect(sockets.areReported)
        expectNil(table.meaning(of: Event.readable, on: sockets.ours))
        #expect(!sockets.areReported)
        table.want(Want.in, of: sockets.ours)
        #expect(sockets.areReported)
    }

    @Test
    func `A table of sockets stops watching others' sockets at once, since their closing is not reported`() throws {
        let sockets = try Sockets()
        var table = sockets.table
        table.want(Want.in, of: sockets.ours)
        sockets.say("x")
        #expect(sockets.areReported)
        table.want(Want.nothing, of: sockets.ours)
        #expect(!sockets.areReported)
    }

    @Test func `A table of sockets begins again with a descriptor that is reused`() throws {
        let (first, second) = (try Sockets(), try Sockets())
        var table = first.table
        table.opened(first.ours)
        table.want(Want.in, of: first.ours)
        // The kernel closes what had the number before, and forgets it with that.
        expectEqual(dup2(second.ours, first.ours), first.ours)
        table.closed(first.ours)
        table.opened(first.ours)
        second.say("x")
        #expect(!first.areReported)
        table.want(Want.in, of: first.ours)
        #expect(first.areReported)
    }

    @Test(arguments: [-1, 0, 100_000] as [CInt])
    func `A table of sockets reports nothing of unknown descriptors`(descriptor: CInt) throws {
        let sockets = try Sockets()
        var table = sockets.table
        table.closed(descriptor)
        expectNil(table.meaning(of: 1, on: descriptor))
        table.want(Want.in, of: -1)
        table.opened(-1)
        #expect(!sockets.areReported)
    }
}

@Suite struct WakeUpTests {
    @Test func `The wake-up events of a loop ring through epoll until they are silenced`() throws {
        let wakeUps = try WakeUpEvents()
        defer { wakeUps.close() }
        #expect(!hasEvents(wakeUps.epoll))
        for _ in 0..<5 { wakeUps.wakeDriver() }
        #expect(hasEvents(wakeUps.epoll))
        wakeUps.clearDriverEvent()
        #expect(!hasEvents(wakeUps.epoll))
        wakeUps.clearDriverEvent()
    }

    @Test func `The wake-up events of a loop are heard by a thread that begins to wait after they were rung`() throws {
        let wakeUps = try WakeUpEvents()
        defer { wakeUps.close() }
        wakeUps.wakeThread()
        wakeUps.waitForThreadEvent()
        wakeUps.wakeThread()
        wakeUps.wakeThread()
        wakeUps.waitForThreadEvent()
    }
}
