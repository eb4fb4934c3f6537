#include "cli/grammar/command_rows.h"

namespace paddock::cli {
namespace {

constexpr const char* kNodes = "Nodes";
const OptionRow kConfig{"--config", "FILE",
                        "the agent's configuration; /etc/paddock/node-agent.yaml unless given"};
const OptionRow kDataDir{"--data-dir", "DIR",
                         "the agent's data folder; the configuration's unless given"};
const OptionRow kPoolFormat{"-o,--output", "FORMAT", "table, json or yaml"};
const OptionRow kPoolConfig{"--config", "FILE",
                            "the pool's configuration; /etc/paddock/pool.yaml unless given"};

}  // namespace

std::vector<CommandRow> membership_commands() {
  return {
      {"node token",
       kNodes,
       "make a token by which one host joins, and print the line to type there",
       {{"NODE", "name that the host shall have as a node"}},
       {{"--ttl", "D", "how long it can be used; 1h unless given, 24h at most"},
        {"--url", "URL", "the controller as the host reaches it; the one in use unless given"}},
       "Good for one name and the first host that uses it. It brings the controller's CA along.\n\n"
       "  paddock node token gpu-1 --url https://paddock.example:8443"},
      {"node join",
       kNodes,
       "make this host a node of a controller",
       {},
       {{"--token", "T", "what `paddock node token` printed; or --token-file"},
        {"--name", "NAME", "of the node; the configuration's, or the host's, unless given"},
        {"--force", "", "also if this host has a credential: it is replaced"},
        kConfig,
        kDataDir},
       "Writes the node's own credential into the agent's data folder, and server, caFile and "
       "name\n"
       "into its configuration. Only calls out. Interrupted, it can be typed again.\n\n"
       "  paddock node join --server https://paddock.example:8443 --name gpu-1 --token pdke_…"},
      {"node move",
       kNodes,
       "tell this host's agent that its controller has another address",
       {},
       {kConfig, kDataDir},
       "Asks there first, with this node's credential; if it is not taken, nothing is changed.\n"
       "Then server, and with --ca-file caFile, are changed in the agent's configuration, which\n"
       "the agent reads when it starts. It stays the same node.\n\n"
       "  paddock node move --server https://paddock.example:8443"},
      {"node leave",
       kNodes,
       "end this host's being a node",
       {},
       {{"--force", "", "also while runs or sessions are here: they end as lost"},
        {"--local", "", "only remove the credential here; say nothing to the controller"},
        kConfig,
        kDataDir},
       "Drain the node and stop its agent first. The node is forgotten, its credential ends.\n\n"
       "  paddock node leave"},
      {"node rotate",
       kNodes,
       "replace this host's credential now",
       {},
       {kConfig, kDataDir},
       "The agent does it by itself (rotateCredential), and goes on while this is done.\n\n"
       "  paddock node rotate"},
      {"pool slurm",
       kNodes,
       "ask Slurm for nodes while runs wait; goes on until it is stopped",
       {},
       {kPoolConfig},
       "For a login node or a host beside the controller, as the user whose jobs they are.\n"
       "Each job is a node of its own that takes only what ends before it (docs/slurm.md).\n\n"
       "  paddock pool slurm --config pool.yaml"},
      {"pool describe",
       kNodes,
       "what a pool of this host asked for, and why runs wait for it",
       {},
       {kPoolConfig, kPoolFormat},
       "Reads what the pool wrote into its folder when it last looked.\n\n"
       "  paddock pool describe --config pool.yaml"},
  };
}

}  // namespace paddock::cli
