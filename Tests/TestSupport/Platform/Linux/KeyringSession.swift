// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import LatchFoundation
import LatchCore
import LatchProcess

/// A message bus with GNOME's keyring on it, like that of a user who is signed in to a desktop.
///
/// Keys and sockets are in a folder. Both processes end with this object, with ``end()``, or soon after this process.
public final class KeyringSession: Sendable {
    /// The service that keeps secrets on the bus.
    public enum Keyring: String, Sendable {
        /// A keyring whose password was given at the sign-in; made where there is none.
        case unlocked
        /// A keyring that waits for its password, as after a sign-in without one.
        case locked
        /// A keyring that owns its name on the bus, and hangs: its process is stopped.
        case hung
        /// A session without a service.
        case absent
    }

    /// An error that keeps the session from starting.
    public struct Failure: Error, CustomStringConvertible {
        /// The output of the failed process.
        public let description: String
    }

    /// The environment variables that lead a process to this bus.
    public let environment: [String: String]
    private let process: ChildProcess

    /// Whether the programs are installed (Debian: dbus-daemon, dbus-bin, gnome-keyring).
    public static var isInstalled: Bool {
        ["dbus-daemon", "dbus-send", "gnome-keyring-daemon"]
            .allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
    }

    /// Starts the bus, and the keyring with what it kept in this folder before.
    ///
    /// - Parameter folder: Short, since a socket's path has at most 107 bytes.
    public static func start(in folder: String, keyring: Keyring = .unlocked) async throws -> KeyringSession {
        for name in ["home", "run"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        try Data(configuration(in: folder).utf8).write(to: URL(filePath: "\(folder)/bus.conf"))
        let environment = [
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/run/bus", "XDG_RUNTIME_DIR": "\(folder)/run",
            "HOME": "\(folder)/home", "XDG_DATA_HOME": "\(folder)/home", "PATH": "/usr/bin:/bin", "DISPLAY": "",
        ]
        let process = try ChildProcess.start(
            "/bin/sh", ["-c", script, "sh", folder, keyring.rawValue, "\(ProcessInfo.processInfo.processIdentifier)"],
            environment: environment, errors: .file("\(folder)/errors"))
        guard await process.line() == "ready" else {
            process.terminate()
            throw Failure(description: "no keyring: see \(folder)/errors")
        }
        return KeyringSession(environment: environment, process: process)
    }

    private init(environment: [String: String], process: ChildProcess) {
        self.environment = environment
        self.process = process
    }

    deinit { process.terminate() }

    /// Ends bus and keyring, as a sign-out does, and waits for it.
    public func end() async {
        process.terminate()
        await process.end()
    }

    /// The configuration of a bus that starts no service on demand, so that an absent keyring stays absent.
    private static func configuration(in folder: String) -> String {
        """
        <busconfig><type>session</type><listen>unix:path=\(folder)/run/bus</listen><auth>EXTERNAL</auth>
        <policy context="default"><allow send_destination="*"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
        """
    }

    /// A script that starts both, reports it, and ends both on request or when its parent has ended.
    ///
    /// A signal at the parent's death would come when the thread that started this ends, and threads of pools do.
    private static let script = """
        bus= ring= nap=
        finish() { trap - EXIT; kill $ring $bus $nap 2>/dev/null; kill -CONT $ring 2>/dev/null; wait; exit 0; }
        trap finish EXIT TERM
        dbus-daemon --config-file="$1/bus.conf" --nofork --nopidfile >/dev/null & bus=$!
        owns() { dbus-send --session --print-reply --reply-timeout=2000 --dest=org.freedesktop.DBus / \\
            org.freedesktop.DBus.NameHasOwner string:org.freedesktop.$1 2>/dev/null | grep -q 'boolean true'; }
        tries=0
        until owns DBus; do tries=$((tries + 1)); [ $tries -lt 2000 ] || exit 1; sleep 0.02; done
        case $2 in
            unlocked) printf 'a password' | gnome-keyring-daemon --unlock --foreground --components=secrets >/dev/null &
                ring=$! ;;
            locked|hung) gnome-keyring-daemon --foreground --components=secrets >/dev/null & ring=$! ;;
        esac
        [ $2 = absent ] || until owns secrets; do
            tries=$((tries + 1)); [ $tries -lt 3000 ] || exit 1; sleep 0.02
        done
        [ $2 != hung ] || kill -STOP $ring
        echo ready
        while kill -0 $3 2>/dev/null; do sleep 1 & nap=$!; wait $nap; done
        """
}
#endif
