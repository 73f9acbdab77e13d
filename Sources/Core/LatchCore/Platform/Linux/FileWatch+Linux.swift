// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Tells when a file of a folder was written or put in its place, by this process or another, without polling.
///
/// All watches of a process share one of the few queues of events that the kernel gives each user (128 by default).
package final class FileWatch: Sendable {
    private let hub: WatchHub
    private let id: Int

    /// A watch on one file, which need not exist; its folder must.
    ///
    /// - Parameter onChange: Called after each change, on a thread of Dispatch; changes that come together are one.
    package init(_ path: String, onChange: @escaping @Sendable () -> Void) throws(FileFailure) {
        hub = try WatchHub.current(for: path)
        id = try hub.add(path, onChange)
    }

    deinit { hub.remove(id) }
}
#endif
