// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchTesting
import LatchUI
import Testing

@Suite struct AppLockTests {
    @Test func `The privacy of an app covers the content while the app is inactive, and opens it again`() {
        var lock = AppLock(gracePeriod: nil)
        lock.receive(.active, at: .zero)
        expectEqual(lock.phase, .open)
        lock.receive(.inactive, at: .seconds(1))
        expectEqual(lock.phase, .covered)
        lock.receive(.background, at: .seconds(2))
        lock.receive(.active, at: .seconds(9_000))
        expectEqual(lock.phase, .open)
    }

    @Test(arguments: [(59, AppLock.Phase.open), (60, .locked)])
    func `The privacy of an app locks it after a time in the background`(seconds: Int, phase: AppLock.Phase) {
        var lock = AppLock(gracePeriod: .seconds(60))
        lock.receive(.active, at: .zero)
        expectEqual(lock.phase, .locked, "an app starts locked")
        lock.unlock()
        expectEqual(lock.phase, .open)
        lock.receive(.background, at: .seconds(100))
        lock.receive(.inactive, at: .seconds(100 + seconds))
        expectEqual(lock.phase, .covered)
        lock.receive(.active, at: .seconds(100 + seconds))
        expectEqual(lock.phase, phase)
    }

    @Test func `The privacy of an app covers a scene that is not in front, and no other one`() {
        let (first, second) = (UUID(), UUID())
        var lock = AppLock(gracePeriod: .seconds(60))
        lock.receive(.active, of: first, at: .zero)
        lock.unlock()
        lock.receive(.active, of: second, at: .seconds(1))
        lock.receive(.background, of: second, at: .seconds(2))
        expectEqual(lock.phase(of: first), .open)
        expectEqual(lock.phase(of: second), .covered)
        // The app was in front all the time.
        lock.receive(.active, of: second, at: .seconds(200))
        expectEqual(lock.phase(of: second), .open)
        lock.receive(.background, of: first, at: .seconds(300))
        lock.receive(.background, of: second, at: .seconds(310))
        lock.receive(.active, of: first, at: .seconds(370))
        expectEqual(lock.phase(of: first), .locked)
    }

    @MainActor @Test func `The privacy of an app is opened by the screen of the lock, which still reports its outcome`()
        async
    {
        var outcomes: [UnlockScreen.Outcome] = []
        let unlock = UnlockModel(UnlockScreen(app: "Notes"), onFinish: { outcomes.append($0) }) { _ in .authenticated }
        let model = AppLockModel(unlock, clock: ManualClock().wallClock())
        model.receive(.active)
        expectEqual(model.lock.phase, .locked)
        unlock.press(.submit)
        await unlock.settled()
        #expect(model.lock.phase == .open && outcomes == [.unlocked])
    }
}
