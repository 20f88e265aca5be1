// Command testserver is a Temporal server for tests: on loopback, with its data in a file, so
// that it can be killed and started again. Its arguments are the file and the port. It ends
// with its standard input, which is that of the test.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	sqlplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const (
	loopback  = "127.0.0.1"
	namespace = "default"
	active    = "active" // the cluster's name
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: testserver FILE PORT")
		os.Exit(2)
	}
	port, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = serve(os.Args[1], port)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(file string, port int) error {
	db := &config.SQL{
		PluginName: sqlplugin.PluginName, DatabaseName: file,
		ConnectAttributes: map[string]string{"mode": "rwc", "_journal_mode": "wal", "_synchronous": "2"},
	}
	if _, err := os.Stat(file); os.IsNotExist(err) {
		if err := schema.SetupSchema(db); err != nil {
			return err
		}
		ns, err := schema.NewNamespaceConfig(active, namespace, false, nil)
		if err == nil {
			err = schema.CreateNamespaces(db, ns)
		}
		if err != nil {
			return err
		}
	}
	address := net.JoinHostPort(loopback, strconv.Itoa(port))
	off := config.HistoryArchival{State: "disabled"}
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore: sqlplugin.PluginName, VisibilityStore: sqlplugin.PluginName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{sqlplugin.PluginName: {SQL: db}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: active, CurrentClusterName: active,
			ClusterInformation: map[string]cluster.ClusterInformation{active: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: address},
		Archival:            config.Archival{History: off, Visibility: config.VisibilityArchival{State: "disabled"}},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
		Services: map[string]config.Service{},
	}
	c.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: loopback}
	ports, err := kept(file + ".ports")
	if err != nil {
		return err
	}
	for i, name := range []string{"frontend", "history", "matching", "worker"} {
		own := port
		if i > 0 {
			own = ports[i]
		}
		c.Services[name] = config.Service{RPC: config.RPC{GRPCPort: own, MembershipPort: ports[4+i], BindOnLocalHost: true}}
	}
	s, err := temporal.NewServer(
		temporal.WithConfig(c), temporal.ForServices(temporal.DefaultServices), temporal.WithLogger(log.NewNoopLogger()),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): []dynamicconfig.ConstrainedValue{{Value: true}},
		}),
	)
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	fmt.Println(address, namespace)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return s.Stop()
}

// kept are the ports of the services: those of before, where the server is started again, so
// that it is not taken for another one.
func kept(file string) (ports [8]int, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		return ports, json.Unmarshal(text, &ports)
	}
	for i := range ports {
		ports[i] = free()
	}
	if text, err = json.Marshal(ports); err != nil {
		return ports, err
	}
	return ports, os.WriteFile(file, text, 0o600)
}

// free is a port of loopback that nothing listens on.
func free() int {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
